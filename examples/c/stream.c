/* Reads a model's answer from standard input as it arrives, prints text at once and calls when they are over.
 *
 *   cc stream.c $(pkg-config --cflags --libs toolglot) -o stream
 *   ./stream tools.json < answer.txt
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "toolglot.h"

/* A failure ends the program with toolglot's own words. */
static void check(int fine, const char *what, const tg_buffer *why) {
    if (fine) return;
    fprintf(stderr, "%s: %.*s\n", what, (int)tg_buffer_len(why), (const char *)tg_buffer_data(why));
    exit(1);
}

static char *read_file(const char *path, size_t *len) {
    FILE *file = fopen(path, "rb");
    if (!file) {
        perror(path);
        exit(1);
    }
    size_t room = 1 << 16;
    char *data = malloc(room);
    *len = 0;
    for (size_t got; data && (got = fread(data + *len, 1, room - *len, file)) > 0;) {
        *len += got;
        if (*len == room) data = realloc(data, room *= 2);
    }
    fclose(file);
    if (!data) exit(1);
    return data;
}

static void print(tg_text text) { fwrite(text.data, 1, text.len, stdout); }

/* Prints what the parser found in the last piece. */
static void tell(const tg_parser *parser) {
    const tg_event *event = tg_parser_events(parser);
    for (size_t left = tg_parser_event_count(parser); left > 0; left--, event++) {
        switch (event->kind) {
        case TG_KIND_TEXT: print(event->text); break;
        case TG_KIND_CALL_START: printf("\n-> %.*s ", (int)event->name.len, (const char *)event->name.data); break;
        case TG_KIND_ARGUMENTS: print(event->text); break;
        case TG_KIND_CALL_END: printf(" (%.*s)\n", (int)event->name.len, (const char *)event->name.data); break;
        case TG_KIND_DIAGNOSTIC:
            fprintf(stderr, "%.*s: %.*s\n", (int)event->name.len, (const char *)event->name.data, (int)event->text.len,
                    (const char *)event->text.data);
            break;
        default: break; /* reasoning and markup are not shown */
        }
    }
    fflush(stdout);
}

int main(int count, char **words) {
    if (tg_abi_version() != TG_ABI_VERSION) {
        fprintf(stderr, "the header is of ABI %d, the library of %u\n", TG_ABI_VERSION, tg_abi_version());
        return 1;
    }
    tg_buffer *out = tg_buffer_new();
    tg_tools *tools = NULL;
    if (count > 1) {
        size_t len;
        char *json = read_file(words[1], &len);
        tools = tg_tools_new((const uint8_t *)json, len, out);
        check(tools != NULL, words[1], out);
        free(json);
    }
    tg_parser *parser = tg_parser_new(NULL, tools, NULL, 0, out);
    check(parser != NULL, "no parser", out);
    check(tg_parser_collect(parser) == TG_STATUS_OK, "no message", NULL);
    uint8_t piece[16];
    for (size_t got; (got = fread(piece, 1, sizeof piece, stdin)) > 0;) {
        check(tg_parser_push(parser, piece, got) == TG_STATUS_OK, "push", NULL);
        tell(parser);
    }
    check(tg_parser_finish(parser) == TG_STATUS_OK, "finish", NULL);
    tell(parser);
    check(tg_parser_message(parser, out) == TG_STATUS_OK, "message", out);
    printf("%.*s\n", (int)tg_buffer_len(out), (const char *)tg_buffer_data(out));
    tg_parser_free(parser);
    tg_tools_free(tools);
    tg_buffer_free(out);
    return 0;
}
