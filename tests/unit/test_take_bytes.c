/* SPDX-License-Identifier: MIT */
/* Goal of this test: one door gives ids of either kind as bytes, where the caller wants them and nowhere else. */
#include "lib/rig.h"
#include "lib/test.h"

enum { N = 70, STRIDE = 13 };

static unsigned char buf[N * STRIDE];

BEFORE_EACH
{
    memset(buf, 0xee, sizeof buf);
}

static void assert_gaps(size_t size)
{
    for (size_t i = 0; i < N; i++) {
        for (size_t k = size; k < STRIDE; k++)
            assert_int_equal(buf[i * STRIDE + k], 0xee);
    }
}

TEST("64-bit ids are eight big-endian bytes each, few or many")
{
    struct rig rig = {.random_state = 1};
    uint64_t before = 0;
    uint64_t id;

    rig_open(&rig, "layout=frazil worker=fixed:5", RIG_NOW);
    assert_int_equal(frazil_id_size(rig.gen), 8);
    assert_int_equal(frazil_take_bytes(rig.gen, 0, buf, STRIDE, 3, 0, NULL), FRAZIL_OK);
    assert_int_equal(buf[3 * STRIDE], 0xee);
    assert_int_equal(frazil_take_bytes(rig.gen, 0, buf, STRIDE, N, 0, NULL), FRAZIL_OK);
    for (size_t i = 0; i < N; i++) {
        assert_int_equal(frazil_bytes_read(buf + i * STRIDE, 8, &id, NULL), FRAZIL_OK);
        assert_int_equal(rig_parts(&rig, id).worker, 5);
        assert_true(id > before);
        before = id;
    }
    assert_gaps(8);
    assert_true(rig_next(&rig) > before);
    rig_close(&rig);
}

TEST("Snos are their ten bytes, with the metabyte")
{
    struct rig rig = {.random_state = 1};
    frazil_sno_fields fields;
    frazil_sno sno;

    rig_open(&rig, "layout=sno worker=fixed:5", RIG_NOW);
    assert_int_equal(frazil_id_size(rig.gen), sizeof sno);
    assert_int_equal(frazil_take_bytes(rig.gen, 9, buf, STRIDE, N, 0, NULL), FRAZIL_OK);
    for (size_t i = 0; i < N; i++) {
        memcpy(sno.bytes, buf + i * STRIDE, sizeof sno.bytes);
        frazil_sno_decompose(&sno, &fields);
        assert_int_equal(fields.meta, 9);
        assert_int_equal(fields.partition, 5);
    }
    assert_gaps(10);
    rig_close(&rig);
}

TEST("A senseless call is refused, and a call that fails writes nothing")
{
    struct rig rig = {.random_state = 1};
    frazil_error why;

    rig_open(&rig, "layout=41/10/4 worker=fixed:1 start=zero behaviour=flake", RIG_NOW);
    assert_int_equal(frazil_take_bytes(rig.gen, 0, buf, 7, 1, 0, &why), FRAZIL_EINVAL);
    assert_non_null(strstr(why.message, "the stride is 7, and each id has 8 bytes"));
    assert_int_equal(frazil_take_bytes(rig.gen, 1, buf, 8, 1, 0, &why), FRAZIL_EINVAL);
    assert_non_null(strstr(why.message, "only snos have one"));
    assert_int_equal(frazil_take_bytes(rig.gen, 0, buf, 8, SIZE_MAX, 0, &why), FRAZIL_ENOMEM);
    assert_int_equal(frazil_take_bytes(rig.gen, 0, buf, 8, 0, 0, &why), FRAZIL_OK);
    assert_int_equal(frazil_take_bytes(rig.gen, 0, buf, 8, 17, 0, &why), FRAZIL_EINVAL);
    assert_non_null(strstr(why.message, "16 ids at most"));
    assert_int_equal(frazil_take_bytes(rig.gen, 0, buf, 8, 16, 0, &why), FRAZIL_OK);
    memset(buf, 0xee, sizeof buf);
    assert_int_equal(frazil_take_bytes(rig.gen, 0, buf, 8, 1, 0, &why), FRAZIL_EFULL);
    assert_int_equal(buf[0], 0xee);
    rig_close(&rig);
}
