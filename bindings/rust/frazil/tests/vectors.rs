// SPDX-License-Identifier: MIT
//! Goal of this test: the golden values of tests/vectors come out through the crate.

mod common;

use common::vectors;
use frazil::{text, time, Fields, Form, Id, Kasumi, Layout, Options, Sno};

fn number<T: std::str::FromStr>(text: &str) -> T
where
    T::Err: std::fmt::Debug,
{
    text.parse().unwrap_or_else(|why| panic!("{:?}: {:?}", text, why))
}

#[test]
fn text_forms() {
    for row in vectors("text.tsv") {
        let id = number(&row[0]);
        let forms = [
            Form::Hex,
            Form::Crockford,
            Form::Base36,
            Form::Base58,
            Form::Base62,
            Form::Base64Url,
            Form::Bytes,
        ];
        for (form, text) in forms.iter().zip(&row[1..]) {
            assert_eq!(form.format(id).as_str(), text);
            assert_eq!(Id::parse(*form, text), Ok(Id(id)));
        }
    }
}

#[test]
fn snos() {
    for row in vectors("sno.tsv") {
        let sno: Sno = row[1].parse().unwrap();
        let hex: String = sno.0.iter().map(|byte| format!("{:02x}", byte)).collect();
        assert_eq!(hex, row[0]);
        let fields = sno.fields();
        assert_eq!(time::format(fields.unix_ms).unwrap(), row[2].as_str());
        assert_eq!(i128::from(fields.unix_ms) * 1_000_000, number::<i128>(&row[3]));
        assert_eq!((fields.ticktock, fields.meta), (number(&row[4]), number(&row[5])));
        assert_eq!((fields.partition, fields.sequence), (number(&row[6]), number(&row[7])));
        assert_eq!(Sno::compose(&fields), Ok(sno));
    }
}

#[test]
fn ids_of_konayuki() {
    for row in vectors("konayuki.tsv") {
        let layout: Layout = format!("{}/{}/{} epoch={}", row[0], row[1], row[2], row[3])
            .parse()
            .unwrap();
        let fields = Fields {
            unix_ms: number(&row[8]),
            worker: number(&row[5]),
            sequence: number(&row[6]),
        };
        let id = number(&row[7]);
        assert_eq!(layout.compose(&fields), Ok(id));
        assert_eq!(layout.decompose(id), Ok(fields));
        for (shards, shard) in [(16, &row[9]), (7, &row[10]), (1000, &row[11])] {
            assert_eq!(text::shard(id, shards), Ok(number(shard)));
        }
    }
}

#[test]
fn workers_by_hash() {
    for row in vectors("workerhash.tsv") {
        assert_eq!(
            text::worker_hash(&row[0], number(&row[1])),
            Ok(number(&row[2])),
            "{:?}",
            row
        );
    }
}

#[test]
fn scrambled_ids() {
    for row in vectors("kasumi.tsv") {
        let kasumi = Kasumi::new(number(&row[0])).unwrap();
        let id = number(&row[1]);
        let halves: (u64, u64) = (number(&row[2]), number(&row[3]));
        assert_eq!(kasumi.scramble(id), Ok(halves.0 << 32 | halves.1));
        assert_eq!(kasumi.format(id, false), row[4].as_str());
        assert_eq!(kasumi.format(id, true), row[5].as_str());
        assert_eq!(kasumi.parse(&row[5], true), Ok(id));
    }
}

#[test]
fn ids_of_flake_idgen() {
    for row in vectors("flake.tsv") {
        let spec = format!(
            "layout=flake behaviour=flake epoch={} datacenter={} worker=fixed:{} state=memory clock=frozen:{} \
             allow_short_life=yes",
            row[1], row[2], row[3], row[0]
        );
        let generator = Options::new().unwrap().spec(&spec).unwrap().open().unwrap();
        let mut ids = vec![0; number(&row[4])];
        generator.fill(&mut ids).unwrap();
        let id = Id(*ids.last().unwrap());
        assert_eq!(id.text(Form::Bytes), row[5].as_str());
        assert_eq!(id.to_string(), row[6]);
    }
}

#[test]
fn public_ids() {
    for row in vectors("public.tsv") {
        let layout: Layout = row[0].parse().unwrap();
        let fields = layout.decompose(number(&row[1])).unwrap();
        assert_eq!(time::format(fields.unix_ms).unwrap(), row[2].as_str());
        assert_eq!((fields.worker, fields.sequence), (number(&row[3]), number(&row[4])));
    }
}
