// SPDX-License-Identifier: MIT
//! Goal of this test: ids go through serde, sqlx, postgres and diesel without losing a bit.

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
fn columns_are_bigint_and_bytes() {
    assert_eq!(
        <Id as Type<Any>>::type_info().to_string(),
        <i64 as Type<Any>>::type_info().to_string()
    );
    assert_eq!(
        <Sno as Type<Any>>::type_info().to_string(),
        <Vec<u8> as Type<Any>>::type_info().to_string()
    );
    let mut arguments = AnyArguments::default();
    arguments.add(LARGE).unwrap();
    arguments.add(Sno::default()).unwrap();
    let why = arguments.add(Id(1 << 63)).expect_err("it has the sign bit");
    assert!(why.to_string().contains("text"), "{}", why);
    assert_eq!(arguments.len(), 2);
}

#[test]
fn a_sno_is_read_from_a_column_of_text_as_well() {
    assert!(<Sno as Type<Any>>::compatible(&<String as Type<Any>>::type_info()));
    assert!(<Sno as Type<Any>>::compatible(&<Vec<u8> as Type<Any>>::type_info()));
    assert!(!<Sno as Type<Any>>::compatible(&<i64 as Type<Any>>::type_info()));
}

#[test]
fn postgres_has_bigint_and_bytes_or_text() {
    use postgres_types::private::BytesMut;
    use postgres_types::{FromSql, ToSql, Type};

    let mut out = BytesMut::new();
    LARGE.to_sql_checked(&Type::INT8, &mut out).unwrap();
    assert_eq!(out[..], i64::MAX.to_be_bytes());
    assert_eq!(Id::from_sql(&Type::INT8, &out).unwrap(), LARGE);
    assert!(Id::from_sql(&Type::INT8, &(-1i64).to_be_bytes()).is_err());
    assert!(Id(1 << 63).to_sql_checked(&Type::INT8, &mut out).is_err());
    assert!(LARGE.to_sql_checked(&Type::INT4, &mut out).is_err());

    let sno: Sno = "brpk4q72xwf2m63l".parse().unwrap();
    for (ty, bytes) in [(Type::BYTEA, &sno.0[..]), (Type::BPCHAR, b"brpk4q72xwf2m63l")] {
        let mut out = BytesMut::new();
        sno.to_sql_checked(&ty, &mut out).unwrap();
        assert_eq!(&out[..], bytes);
        assert_eq!(Sno::from_sql(&ty, &out).unwrap(), sno);
    }
}

mod of_diesel {
    use diesel::prelude::*;
    use frazil::{Id, Sno};

    diesel::table! {
        orders (id) {
            id -> BigInt,
            mark -> Binary,
        }
    }

    #[derive(Insertable, Queryable, Selectable, PartialEq, Debug)]
    #[diesel(table_name = orders)]
    struct Order {
        id: Id,
        mark: Sno,
    }

    #[test]
    fn diesel_has_bigint_and_binary() {
        let mut sqlite = SqliteConnection::establish(":memory:").unwrap();
        diesel::sql_query("CREATE TABLE orders (id INTEGER PRIMARY KEY, mark BLOB NOT NULL)")
            .execute(&mut sqlite)
            .unwrap();
        let order = Order {
            id: super::LARGE,
            mark: "brpk4q72xwf2m63l".parse().unwrap(),
        };
        diesel::insert_into(orders::table)
            .values(&order)
            .execute(&mut sqlite)
            .unwrap();
        let found = orders::table
            .filter(orders::id.eq(super::LARGE))
            .select(Order::as_select())
            .first(&mut sqlite);
        assert_eq!(found, Ok(order));
        let why = diesel::insert_into(orders::table)
            .values((orders::id.eq(Id(1 << 63)), orders::mark.eq(Sno::default())))
            .execute(&mut sqlite)
            .unwrap_err();
        assert!(why.to_string().contains("text"), "{}", why);
    }
}
