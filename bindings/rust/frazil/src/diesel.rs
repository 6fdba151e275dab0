// SPDX-License-Identifier: MIT
//! Ids in diesel: an [`Id`] is a BigInt, a [`Sno`] a Binary.

use diesel::backend::Backend;
use diesel::deserialize::{self, FromSql};
use diesel::serialize::{self, Output, ToSql};
use diesel::sql_types::{BigInt, Binary};

use crate::{Id, Sno};

impl<DB: Backend> ToSql<BigInt, DB> for Id
where
    i64: ToSql<BigInt, DB>,
{
    fn to_sql<'b>(&'b self, out: &mut Output<'b, '_, DB>) -> serialize::Result {
        self.to_i64()?;
        let at: *const Id = self;
        // SAFETY: an Id is a u64 in memory, and so an i64: this one has no sign bit. Some backends keep the reference.
        let number: &'b i64 = unsafe { &*at.cast() };
        number.to_sql(out)
    }
}

impl<DB: Backend> FromSql<BigInt, DB> for Id
where
    i64: FromSql<BigInt, DB>,
{
    fn from_sql(raw: DB::RawValue<'_>) -> deserialize::Result<Id> {
        Ok(Id::try_from(i64::from_sql(raw)?)?)
    }
}

impl<DB: Backend> ToSql<Binary, DB> for Sno
where
    [u8]: ToSql<Binary, DB>,
{
    fn to_sql<'b>(&'b self, out: &mut Output<'b, '_, DB>) -> serialize::Result {
        <[u8] as ToSql<Binary, DB>>::to_sql(&self.0, out)
    }
}

impl<DB: Backend> FromSql<Binary, DB> for Sno
where
    Vec<u8>: FromSql<Binary, DB>,
{
    fn from_sql(raw: DB::RawValue<'_>) -> deserialize::Result<Sno> {
        Ok(Sno::from_column(&Vec::<u8>::from_sql(raw)?)?)
    }
}
