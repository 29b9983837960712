#ifndef CONFIG_H
#define CONFIG_H

struct config {
    int workers, items;
};

/* Reads lines `key = number`; unknown keys are ignored. Returns 0, or -1 if the file cannot be read. */
int read_config(const char *file_name, struct config *config);

#endif
