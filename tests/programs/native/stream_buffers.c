// When what is written to a stream gets into its file.
//@ native
#include <assert.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char *path = "stream_buffers.tmp";

static int length(void)
{
    static char text[20000];
    FILE *stream = fopen(path, "r");
    size_t n = fread(text, 1, sizeof text, stream);
    fclose(stream);
    return (int)n;
}

int main(void)
{
    static char block[10000];
    memset(block, 'x', sizeof block);
    FILE *stream = fopen(path, "w+");
    fputs("hello", stream);
    printf("written %d, at %ld\n", length(), ftell(stream));
    fflush(stream);
    printf("flushed %d\n", length());
    fwrite(block, 1, 4096, stream);
    printf("a block %d\n", length());
    fputc('y', stream);
    printf("one more %d\n", length());
    fwrite(block, 1, 10000, stream);
    printf("many %d\n", length());
    rewind(stream);
    printf("rewound %d\n", length());
    fputs("abc", stream);
    fseek(stream, 0, SEEK_CUR);
    printf("then %c\n", getc(stream));
    fflush(NULL);
    setvbuf(stream, NULL, _IOLBF, 0);
    fseek(stream, 0, SEEK_END);
    fputs("one\ntwo", stream);
    printf("a line %d\n", length());
    fclose(stream);
    printf("closed %d\n", length());

    stream = fopen(path, "a");
    fputs("end", stream);
    printf("appending %d, at %ld\n", length(), ftell(stream));
    close(fileno(stream));
    printf("closed beneath: %d\n", fclose(stream));
    printf("%d\n", length());
    remove(path);

    // A buffer without a size is none.
    int ends[2];
    char byte;
    pipe(ends);
    stream = fdopen(ends[1], "w");
    setvbuf(stream, block, _IOFBF, 0);
    fputs("x", stream);
    printf("at once %zd\n", read(ends[0], &byte, 1));
    setvbuf(stream, block, _IOFBF, 2);
    fputs("yzz", stream);
    printf("two %zd\n", read(ends[0], block + 10, 9));
    return 0;
}
