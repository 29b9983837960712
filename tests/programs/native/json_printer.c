// A string builder that grows by realloc, and a JSON printer over a tree of values with escapes and indentation.
//@ native
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct builder {
	char *text;
	size_t length, capacity;
};

__attribute__((format(printf, 2, 3))) static void append(struct builder *b, const char *format, ...)
{
	va_list args, again;
	va_start(args, format);
	va_copy(again, args);
	size_t room = b->capacity - b->length;
	size_t need = (size_t)vsnprintf(b->text ? b->text + b->length : NULL, room, format, args) + 1;
	if (need > room) {
		while (b->capacity - b->length < need)
			b->capacity = b->capacity ? b->capacity * 2 : 8;
		b->text = realloc(b->text, b->capacity);
		vsnprintf(b->text + b->length, need, format, again);
	}
	b->length += need - 1;
	va_end(again);
	va_end(args);
}

enum kind { NOTHING, BOOLEAN, NUMBER, STRING, ARRAY, OBJECT };

struct value {
	enum kind kind;
	const char *key;
	double number;
	const char *string;
	const struct value *items;
	int n_items;
};

static void quote(struct builder *b, const char *s)
{
	append(b, "\"");
	for (; *s; s++) {
		const char *special = strchr("\"\\\n\t", *s);
		if (special)
			append(b, "\\%c", *s == '\n' ? 'n' : *s == '\t' ? 't' : *s);
		else if ((unsigned char)*s < 0x20)
			append(b, "\\u%04x", *s);
		else
			append(b, "%c", *s);
	}
	append(b, "\"");
}

static void print(struct builder *b, const struct value *v, int indent)
{
	switch (v->kind) {
	case NOTHING:
		append(b, "null");
		break;
	case BOOLEAN:
		append(b, "%s", v->number != 0 ? "true" : "false");
		break;
	case NUMBER:
		append(b, "%.15g", v->number);
		break;
	case STRING:
		quote(b, v->string);
		break;
	case ARRAY:
	case OBJECT: {
		bool object = v->kind == OBJECT;
		append(b, object ? "{" : "[");
		for (int i = 0; i < v->n_items; i++) {
			append(b, "%s\n%*s", i ? "," : "", indent + 2, "");
			if (object) {
				quote(b, v->items[i].key);
				append(b, ": ");
			}
			print(b, &v->items[i], indent + 2);
		}
		if (v->n_items)
			append(b, "\n%*s", indent, "");
		append(b, object ? "}" : "]");
	}
	}
}

int main(void)
{
	const struct value numbers[] = { { NUMBER, .number = 1 }, { NUMBER, .number = -0.5 }, { NUMBER, .number = 1e21 }, { NUMBER, .number = 1.0 / 3 } };
	const struct value fields[] = {
		{ STRING, "name", .string = "gordian \"knot\"\n\ttab\x01" }, { ARRAY, "numbers", .items = numbers, .n_items = 4 },
		{ BOOLEAN, "yes", .number = 1 }, { NOTHING, "none" }, { ARRAY, "empty" }, { OBJECT, "inner", .items = (const struct value[]){ { BOOLEAN, "no" } }, .n_items = 1 },
	};
	const struct value root = { OBJECT, .items = fields, .n_items = 6 };
	struct builder b = { 0 };
	print(&b, &root, 0);
	puts(b.text);
	printf("%zu %zu\n", b.length, b.capacity);
	free(b.text);
	return 0;
}
