// SPDX-License-Identifier: MIT
//! Ids in databases: an [`Id`] as BIGINT, a [`Sno`] as text of 16 characters.

use sqlx::encode::{Encode, IsNull};
use sqlx::error::BoxDynError;
use sqlx::{Database, Decode, Type};

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
    String: Type<DB>,
{
    fn type_info() -> DB::TypeInfo {
        <String as Type<DB>>::type_info()
    }

    fn compatible(ty: &DB::TypeInfo) -> bool {
        <String as Type<DB>>::compatible(ty)
    }
}

impl<'q, DB: Database> Encode<'q, DB> for Sno
where
    String: Encode<'q, DB>,
{
    fn encode_by_ref(&self, buf: &mut <DB as Database>::ArgumentBuffer<'q>) -> Result<IsNull, BoxDynError> {
        self.to_string().encode(buf)
    }
}

impl<'r, DB: Database> Decode<'r, DB> for Sno
where
    String: Decode<'r, DB>,
{
    fn decode(value: <DB as Database>::ValueRef<'r>) -> Result<Sno, BoxDynError> {
        Ok(String::decode(value)?.parse::<Sno>()?)
    }
}
