// A tiny register machine with an assembler: loops, calls, memory, and a program that computes greatest common divisors.
//@ native
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum op { HALT, LOAD, MOVE, ADD, SUB, MUL, MOD, JUMP, JZ, JLT, CALL, RET, STORE, FETCH, PRINT, N_OPS };
static const char *const names[N_OPS] = { "halt", "load", "move", "add", "sub", "mul", "mod", "jump", "jz", "jlt", "call", "ret", "store", "fetch", "print" };

struct instruction {
	enum op op;
	int a, b;
};

static struct instruction code[64];
static int n_code;
static struct {
	char name[16];
	int at;
} labels[16];
static int n_labels;

static int operand(const char *text)
{
	if (!text)
		return 0;
	if (text[0] == 'r')
		return atoi(text + 1);
	for (int i = 0; i < n_labels; i++)
		if (!strcmp(labels[i].name, text))
			return labels[i].at;
	return (int)strtol(text, NULL, 0);
}

static void assemble(const char *source, int pass)
{
	char *copy = strdup(source), *line_save, *save;
	n_code = 0;
	for (char *line = strtok_r(copy, "\n", &line_save); line; line = strtok_r(NULL, "\n", &line_save)) {
		char *word = strtok_r(line, " ,", &save);
		size_t length = strlen(word);
		if (word[length - 1] == ':') {
			if (pass == 0) {
				snprintf(labels[n_labels].name, sizeof labels->name, "%.*s", (int)length - 1, word);
				labels[n_labels++].at = n_code;
			}
			continue;
		}
		struct instruction *i = &code[n_code++];
		for (int op = 0; op < N_OPS; op++)
			if (!strcmp(names[op], word))
				i->op = (enum op)op;
		i->a = operand(strtok_r(NULL, " ,", &save));
		i->b = operand(strtok_r(NULL, " ,", &save));
	}
	free(copy);
}

static long run(void)
{
	int64_t r[8] = { 0 }, memory[32] = { 0 };
	int stack[16], depth = 0, flag = 0;
	long steps = 0;
	for (int pc = 0;; steps++) {
		struct instruction i = code[pc++];
		switch (i.op) {
		case HALT: return steps;
		case LOAD: r[i.a] = i.b; break;
		case MOVE: r[i.a] = r[i.b]; break;
		case ADD: r[i.a] += r[i.b]; break;
		case SUB: r[i.a] -= r[i.b]; flag = r[i.a] < 0; break;
		case MUL: r[i.a] *= r[i.b]; break;
		case MOD: r[i.a] %= r[i.b]; break;
		case JUMP: pc = i.a; break;
		case JZ: if (!r[i.a]) pc = i.b; break;
		case JLT: if (flag) pc = i.a; break;
		case CALL: stack[depth++] = pc; pc = i.a; break;
		case RET: pc = stack[--depth]; break;
		case STORE: memory[r[i.a]] = r[i.b]; break;
		case FETCH: r[i.a] = memory[r[i.b]]; break;
		case PRINT: printf("%lld ", (long long)r[i.a]); break;
		default: abort();
		}
	}
}

int main(void)
{
	static const char *const source = "load r0 1071\nload r1 462\ncall gcd\nprint r0\n"
					  "load r3 1\nload r4 10\nload r5 1\nfactorial:\nmul r3 r4\nsub r4 r5\njz r4 done\njump factorial\ndone:\nprint r3\n"
					  "load r2 0\nload r6 20\nfill:\nmove r7 r2\nmul r7 r7\nstore r2 r7\nadd r2 r5\nmove r7 r2\nsub r7 r6\njlt fill\n"
					  "load r2 13\nfetch r0 r2\nprint r0\nhalt\n"
					  "gcd:\njz r1 found\nmove r2 r0\nmod r2 r1\nmove r0 r1\nmove r1 r2\njump gcd\nfound:\nret\n";
	assemble(source, 0);
	assemble(source, 1);
	for (int i = 0; i < 4; i++)
		printf("%d: %s %d %d\n", i, names[code[i].op], code[i].a, code[i].b);
	long steps = run();
	printf("\n%d instructions, %d labels, %ld steps\n", n_code, n_labels, steps);
	return 0;
}
