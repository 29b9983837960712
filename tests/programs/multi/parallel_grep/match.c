#include "match.h"

#include <stdio.h>
#include <string.h>

int count_matching_lines(const char *file_name, struct part part, const char *pattern)
{
    char line[80];
    int matches = 0;
    FILE *file = fopen(file_name, "r");
    if (file == NULL)
        return 0;
    if (fseek(file, part.begin, SEEK_SET) == 0) {
        while (ftell(file) < part.end && fgets(line, sizeof line, file) != NULL)
            if (strstr(line, pattern) != NULL)
                matches++;
    }
    fclose(file);
    return matches;
}
