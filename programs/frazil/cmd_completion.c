/* SPDX-License-Identifier: MIT */
/* frazil completion: what a shell offers.  It asks the command at each key, so that it knows what the command knows. */
#include "cli/cli.h"
#include "command.h"
#include "ids.h"
#include "options.h"
#include "output.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* ---- the scripts ----------------------------------------------------------------- */

/* bash takes "=" and ":" for words of their own, and completes what stands behind them. */
static const char bash[] = //
    "_frazil()\n"
    "{\n"
    "    local words=() word begun glue=\n"
    "    for word in \"${COMP_WORDS[@]:1:COMP_CWORD}\"; do\n"
    "        if [[ ${#words[@]} -gt 0 && ($glue || $word == [=:]*) ]]; then\n"
    "            words[${#words[@]} - 1]+=$word\n"
    "        else\n"
    "            words+=(\"$word\")\n"
    "        fi\n"
    "        [[ $word == *[=:] ]] && glue=1 || glue=\n"
    "    done\n"
    "    begun=${words[${#words[@]} - 1]}\n"
    "    begun=${begun%\"${begun##*[=:]}\"}\n"
    "    COMPREPLY=()\n"
    "    while read -r word _; do\n"
    "        [[ $word == :files ]] && compopt -o default 2>/dev/null && continue\n"
    "        [[ $word == *[=:/] ]] && compopt -o nospace 2>/dev/null\n"
    "        COMPREPLY+=(\"${word#\"$begun\"}\")\n"
    "    done < <(\"${COMP_WORDS[0]}\" completion --words -- \"${words[@]}\" 2>/dev/null)\n"
    "}\n"
    "complete -F _frazil frazil\n";

static const char zsh[] = //
    "_frazil()\n"
    "{\n"
    "    local word note\n"
    "    local -a whole begun\n"
    "    while read -r word note; do\n"
    "        case $word in\n"
    "            :files) _files ;;\n"
    "            *[=:/]) begun+=(\"$word\") ;;\n"
    "            *) whole+=(\"${word//:/\\\\:}${note:+:$note}\") ;;\n"
    "        esac\n"
    "    done < <($words[1] completion --words -- \"${(@Q)words[2,CURRENT]}\" 2>/dev/null)\n"
    "    (( $#whole )) && _describe frazil whole\n"
    "    (( $#begun )) && compadd -S '' -a begun\n"
    "}\n"
    "compdef _frazil frazil\n";

static const char fish[] = //
    "function __frazil_words\n"
    "    set -l words (commandline -opc) (commandline -ct)\n"
    "    for line in ($words[1] completion --words -- $words[2..-1] 2>/dev/null)\n"
    "        test $line = :files; and __fish_complete_path (commandline -ct); or string replace ' ' \\t -- $line\n"
    "    end\n"
    "end\n"
    "complete -c frazil -f -a '(__frazil_words)'\n";

static const struct shell {
    const char *name;
    const char *script;
} shells[] = {{"bash", bash}, {"zsh", zsh}, {"fish", fish}};

/* The action is called as the shell is. */
static int print_script(int argc, char **argv)
{
    static const struct option_row no_rows[] = {{0}};
    char name[32];
    const struct option_help help = {name, "", "Prints what the shell reads.", NULL, NULL};
    struct arguments args;
    int status;

    (void)snprintf(name, sizeof name, "completion %s", argv[0]);
    if (!options_read(&help, no_rows, argc, argv, &args, &status))
        return status;
    for (size_t i = 0; i < sizeof shells / sizeof shells[0]; i++) {
        if (strcmp(shells[i].name, argv[0]) == 0)
            output_string(shells[i].script);
    }
    return STATUS_OK;
}

/* ---- the words ------------------------------------------------------------------- */

/* A line that is being typed: its last word is begun, and the one before it may be an option that takes that. */
struct typing {
    const char *begun;
    const char *before; /* NULL: begun is the first word behind the subcommand */
    char key[32];       /* "on_full=", before its values */
};

/* A word that may stand there, if what is typed is its begin, and its line in the help. */
static void offer(const struct typing *typing, const char *word, const char *note)
{
    if (strncmp(word, typing->begun, strlen(typing->begun)) == 0)
        output_format("%s%s%s\n", word, note[0] != '\0' ? " " : "", note);
}

static void offer_typed(void *ctx, const char *word, size_t len, const char *behind)
{
    const struct typing *typing = ctx;
    char whole[96];

    (void)snprintf(whole, sizeof whole, "%s%.*s%s", typing->key, (int)len, word, behind);
    offer(typing, whole, "");
}

/* A key of a spec, or a value of the key that is typed. */
static void offer_spec(struct typing *typing)
{
    size_t len = strcspn(typing->begun, "=");

    if (typing->begun[len] == '\0') {
        fz_typed_keys(offer_typed, typing);
        return;
    }
    (void)snprintf(typing->key, sizeof typing->key, "%.*s=", (int)len, typing->begun);
    fz_typed_values(typing->begun, len, offer_typed, typing);
    typing->key[0] = '\0';
}

static void offer_words(const struct typing *typing, const char *const *words)
{
    for (; *words != NULL; words++)
        offer(typing, *words, "");
}

static void offer_commands(const struct typing *typing, const struct command *const *commands)
{
    for (; *commands != NULL; commands++)
        offer(typing, (*commands)->name, (*commands)->summary);
}

/* The words that an option takes, by the name that the help has for them. */
static void offer_value(struct typing *typing, const char *value)
{
    static const char *const when[] = {"auto", "always", "never", NULL};

    if (strcmp(value, "FORM") == 0)
        offer_words(typing, ids_form_names());
    else if (strcmp(value, "L") == 0)
        fz_typed_values("layout", strlen("layout"), offer_typed, typing);
    else if (strcmp(value, "WHEN") == 0)
        offer_words(typing, when);
    else if (strcmp(value, "F") == 0)
        output_string(":files\n");
}

static void offer_arguments(struct typing *typing, const char *usage)
{
    if (strstr(usage, "LAYOUT") != NULL)
        fz_typed_values("layout", strlen("layout"), offer_typed, typing);
    if (strstr(usage, "SPEC") != NULL)
        offer_spec(typing);
    if (strstr(usage, "FILE") != NULL)
        output_string(":files\n");
}

/* Whether a word is this option. */
static bool is_option(const char *word, const struct option_row *row)
{
    if (strncmp(word, "--", 2) == 0)
        return strcmp(word + 2, row->name) == 0;
    return word[0] == '-' && row->letter != 0 && word[1] == row->letter && word[2] == '\0';
}

static void offer_options(const struct typing *typing, const struct option_row *rows)
{
    char word[32];

    for (; rows->name != NULL; rows++) {
        (void)snprintf(word, sizeof word, "--%s", rows->name);
        offer(typing, word, rows->help);
    }
    offer(typing, "--help", "how it is used");
}

static void offer_of_command(void *ctx, const struct option_help *help, const struct option_row *rows)
{
    struct typing *typing = ctx;

    for (const struct option_row *row = rows; typing->before != NULL && row->name != NULL; row++) {
        if (row->value != NULL && is_option(typing->before, row)) {
            offer_value(typing, row->value);
            return;
        }
    }
    if (typing->begun[0] == '-') {
        offer_options(typing, rows);
        return;
    }
    if (typing->before == NULL && help->actions != NULL)
        offer_commands(typing, help->actions);
    offer_arguments(typing, help->usage);
}

static void offer_all_commands(const struct typing *typing)
{
    offer_commands(typing, command_list);
    offer(typing, "help", "the list of commands, or the help of one");
}

/* The words that may stand at the end of a line, which is split into those behind "frazil". */
static void offer_for(const struct arguments *line)
{
    struct typing typing = {.begun = line->count > 0 ? line->values[line->count - 1] : ""};

    if (line->count > 1 && strcmp(line->values[0], "help") != 0) {
        typing.before = line->count > 2 ? line->values[line->count - 2] : NULL;
        const struct command *command = command_named(line->values[0]);
        if (command != NULL)
            options_tell(command, line->count > 2 ? line->values[1] : NULL, offer_of_command, &typing);
        return;
    }
    offer_all_commands(&typing);
    if (line->count <= 1) {
        offer(&typing, "--help", "the list of commands");
        offer(&typing, "--version", cmd_version.summary);
    }
}

static const struct command for_bash = {"bash", "source <(frazil completion bash), in ~/.bashrc", print_script};
static const struct command for_zsh = {"zsh", "source <(frazil completion zsh), in ~/.zshrc after compinit",
                                       print_script};
static const struct command for_fish = {"fish", "frazil completion fish | source, in config.fish", print_script};

static int cmd_completion_run(int argc, char **argv)
{
    static const struct command *const actions[] = {&for_bash, &for_zsh, &for_fish, NULL};
    bool words = false;
    struct arguments args;
    int status;
    const struct option_row rows[] = {
        {"words", 0, OPTION_FLAG, &words, NULL, "possible completions of WORD..., for scripts", 0},
        {0},
    };
    static const struct option_help help = {
        "completion", "SHELL | --words -- WORD...",
        "Prints a script that completes commands, options, specs and layouts in a shell.", "Packages install it.",
        actions};

    if (options_run_action(actions, argc, argv, &status))
        return status;
    if (!options_read(&help, rows, argc, argv, &args, &status))
        return status;
    if (words) {
        offer_for(&args);
        return STATUS_OK;
    }
    return options_miss_action(&help, &args);
}

const struct command cmd_completion = {"completion", "completion scripts for bash, zsh and fish", cmd_completion_run};
