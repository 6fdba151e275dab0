// SPDX-License-Identifier: MIT
//! Goal of this test: ids go through serde and sqlx without losing a bit.

use frazil::{Id, Sno};
use sqlx::any::AnyArguments;
use sqlx::{Any, Arguments, Type};

const LARGE: Id = Id(9_223_372_036_854_775_807);

#[test]
fn json_has_strings() {
    assert_eq!(serde_json::to_string(&LARGE).unwrap(), "\"9223372036854775807\"");
    for text in ["\"9223372036854775807\"", "9223372036854775807"] {
        assert_eq!(serde_json::from_str::<Id>(text).unwrap(), LARGE);
    }
    for text in ["\"12x\"", "-1", "1.5", "null", "\"18446744073709551616\""] {
        assert!(serde_json::from_str::<Id>(text).is_err(), "{}", text);
    }

    let sno: Sno = "brpk4q72xwf2m63l".parse().unwrap();
    assert_eq!(
        serde_json::to_string(&[sno, Sno::default()]).unwrap(),
        "[\"brpk4q72xwf2m63l\",null]"
    );
    assert_eq!(
        serde_json::from_str::<Vec<Sno>>("[\"brpk4q72xwf2m63l\",null]").unwrap(),
        [sno, Sno::default()]
    );
    assert!(serde_json::from_str::<Sno>("\"brpk4q72xwf2m63y\"").is_err());
}

#[test]
fn columns_are_bigint_and_text() {
    assert_eq!(
        <Id as Type<Any>>::type_info().to_string(),
        <i64 as Type<Any>>::type_info().to_string()
    );
    assert_eq!(
        <Sno as Type<Any>>::type_info().to_string(),
        <String as Type<Any>>::type_info().to_string()
    );
    let mut arguments = AnyArguments::default();
    arguments.add(LARGE).unwrap();
    arguments.add(Sno::default()).unwrap();
    let why = arguments.add(Id(1 << 63)).expect_err("it has the sign bit");
    assert!(why.to_string().contains("text"), "{}", why);
    assert_eq!(arguments.len(), 2);
}
