// SPDX-License-Identifier: MIT
//! Ids in sqlx: an [`Id`] is a BIGINT, a [`Sno`] ten bytes. A sno can also be read from a text column; to write one, bind
//! `sno.to_string()`.

use sqlx::encode::{Encode, IsNull};
use sqlx::error::BoxDynError;
use sqlx::{Database, Decode, Type, ValueRef};

use crate::{Id, Sno};

impl<DB: Database> Type<DB> for Id
where
    i64: Type<DB>,
{
    fn type_info() -> DB::TypeInfo {
        <i64 as Type<DB>>::type_info()
    }

    fn compatible(ty: &DB::TypeInfo) -> bool {
        <i64 as Type<DB>>::compatible(ty)
    }
}

impl<'q, DB: Database> Encode<'q, DB> for Id
where
    i64: Encode<'q, DB>,
{
    fn encode_by_ref(&self, buf: &mut <DB as Database>::ArgumentBuffer<'q>) -> Result<IsNull, BoxDynError> {
        self.to_i64()?.encode(buf)
    }
}

impl<'r, DB: Database> Decode<'r, DB> for Id
where
    i64: Decode<'r, DB>,
{
    fn decode(value: <DB as Database>::ValueRef<'r>) -> Result<Id, BoxDynError> {
        Ok(Id::from_i64(i64::decode(value)?)?)
    }
}

impl<DB: Database> Type<DB> for Sno
where
    Vec<u8>: Type<DB>,
    String: Type<DB>,
{
    fn type_info() -> DB::TypeInfo {
        <Vec<u8> as Type<DB>>::type_info()
    }

    fn compatible(ty: &DB::TypeInfo) -> bool {
        <Vec<u8> as Type<DB>>::compatible(ty) || <String as Type<DB>>::compatible(ty)
    }
}

impl<'q, DB: Database> Encode<'q, DB> for Sno
where
    Vec<u8>: Encode<'q, DB>,
{
    fn encode_by_ref(&self, buf: &mut <DB as Database>::ArgumentBuffer<'q>) -> Result<IsNull, BoxDynError> {
        self.0.to_vec().encode(buf)
    }
}

impl<'r, DB: Database> Decode<'r, DB> for Sno
where
    Vec<u8>: Decode<'r, DB>,
    String: Type<DB> + Decode<'r, DB>,
{
    fn decode(value: <DB as Database>::ValueRef<'r>) -> Result<Sno, BoxDynError> {
        if <String as Type<DB>>::compatible(&value.type_info()) {
            return Ok(Sno::from_column(String::decode(value)?.as_bytes())?);
        }
        Ok(Sno::from_column(&Vec::<u8>::decode(value)?)?)
    }
}
