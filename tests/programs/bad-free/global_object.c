// A default object is global, the others come from the heap; the destructor does not know the difference.
//@ check --strategy exhaustive: bug bad-free
#include <stdlib.h>

struct style {
    int width;
};

static struct style default_style = {80};

static struct style *make(int width)
{
    if (width == default_style.width)
        return &default_style;
    struct style *style = malloc(sizeof *style);
    if (style != NULL)
        style->width = width;
    return style;
}

static void destroy(struct style *style)
{
    free(style); //~ BUG bad-free
}

int main(void)
{
    destroy(make(40));
    destroy(make(80));
    return 0;
}
