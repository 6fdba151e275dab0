/* SPDX-License-Identifier: MIT */
/* The address of an id in the page. */
#include "lib/test.h"

#include "output.h"
#include "page.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Compares the line that page_print writes on standard output. */
static void assert_address(const char *path, const char *id, const char *layout, const char *form, const char *expected)
{
    char text[512] = "";
    FILE *file = tmpfile();
    int out = dup(STDOUT_FILENO);

    assert_non_null(file);
    assert_true(out >= 0 && dup2(fileno(file), STDOUT_FILENO) == STDOUT_FILENO);
    page_print(path, id, strlen(id), layout, form);
    output_flush();
    assert_true(dup2(out, STDOUT_FILENO) == STDOUT_FILENO);
    (void)close(out);
    rewind(file);
    assert_non_null(fgets(text, sizeof text, file));
    (void)fclose(file);
    assert_string_equal(text, expected);
}

static void test_address_has_what_was_said(void **state)
{
    (void)state;
    assert_address("/usr/share/frazil/frazil.html", "12345", NULL, NULL,
                   "file:///usr/share/frazil/frazil.html#id=12345\n");
    assert_address("/p.html", "12345", "twitter", "base36", "file:///p.html#id=12345&layout=twitter&form=base36\n");
}

static void test_nothing_typed_can_end_its_part(void **state)
{
    (void)state;
    assert_address(
        "/my files/#1/%p.html", "1&layout=x#?\xc3\xa4", "41/10/12 epoch=2026-01-01", NULL,
        "file:///my%20files/%231/%25p.html#id=1%26layout%3Dx%23%3F%C3%A4&layout=41/10/12%20epoch%3D2026-01-01\n");
}

static void test_page_that_is_not_there_is_said(void **state)
{
    (void)state;
    assert_false(page_is_there("/nonexistent/frazil.html"));
    assert_true(page_is_there("/dev/null"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_address_has_what_was_said),
        cmocka_unit_test(test_nothing_typed_can_end_its_part),
        cmocka_unit_test(test_page_that_is_not_there_is_said),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
