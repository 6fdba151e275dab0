// SPDX-License-Identifier: MIT
//! Ids in `postgres` and `tokio-postgres`: an [`Id`] is a BIGINT; a [`Sno`] is a BYTEA, or text in a text column.

use std::error::Error;

use postgres_types::private::BytesMut;
use postgres_types::{accepts, to_sql_checked, FromSql, IsNull, ToSql, Type};

use crate::{Id, Sno};

type Boxed = Box<dyn Error + Sync + Send>;

impl ToSql for Id {
    fn to_sql(&self, ty: &Type, out: &mut BytesMut) -> Result<IsNull, Boxed> {
        self.to_i64()?.to_sql(ty, out)
    }

    accepts!(INT8);
    to_sql_checked!();
}

impl<'a> FromSql<'a> for Id {
    fn from_sql(ty: &Type, raw: &'a [u8]) -> Result<Id, Boxed> {
        Ok(Id::try_from(i64::from_sql(ty, raw)?)?)
    }

    accepts!(INT8);
}

impl ToSql for Sno {
    fn to_sql(&self, ty: &Type, out: &mut BytesMut) -> Result<IsNull, Boxed> {
        if *ty == Type::BYTEA {
            (&self.0[..]).to_sql(ty, out)
        } else {
            (&*self.text()).to_sql(ty, out)
        }
    }

    accepts!(BYTEA, TEXT, VARCHAR, BPCHAR);
    to_sql_checked!();
}

impl<'a> FromSql<'a> for Sno {
    fn from_sql(_: &Type, raw: &'a [u8]) -> Result<Sno, Boxed> {
        Ok(Sno::from_column(raw)?)
    }

    accepts!(BYTEA, TEXT, VARCHAR, BPCHAR);
}
