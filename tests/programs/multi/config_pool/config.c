#include "config.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KEY = 16 };

static const char *skip_spaces(const char *c)
{
    while (*c == ' ')
        c++;
    return c;
}

static void parse_line(const char *line, struct config *config)
{
    char key[KEY] = "";
    int n = 0;
    const char *c = skip_spaces(line);
    if (*c == '#' || *c == '\n' || *c == '\0')
        return;
    while (isalnum((unsigned char)*c) || *c == '_')
        key[n++] = *c++; //~ BUG out-of-bounds
    c = skip_spaces(c);
    if (*c != '=')
        return;
    int value = atoi(skip_spaces(c + 1));
    if (strcmp(key, "workers") == 0)
        config->workers = value;
    else if (strcmp(key, "items") == 0)
        config->items = value;
}

int read_config(const char *file_name, struct config *config)
{
    char line[80];
    FILE *file = fopen(file_name, "r");
    if (file == NULL)
        return -1;
    while (fgets(line, sizeof line, file) != NULL)
        parse_line(line, config);
    fclose(file);
    return 0;
}
