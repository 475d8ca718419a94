// Prints every cell of Parquet files as the crate parquet reads their rows, in the form of read.py: read parquet FILE...
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::Field;
use std::io::{stdout, BufWriter, Write};

fn cell(field: &Field) -> String {
    match field {
        Field::Null => "null".into(),
        Field::Double(value) => format!("0x{:016x}", value.to_bits()),
        Field::Str(value) => format!("\"{value}"),
        other => other.to_string().split(' ').next().unwrap_or_default().into(), // "2023-09-26 +00:00" of a date
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut out = BufWriter::new(stdout());
    for path in std::env::args().skip(2) {
        let reader = SerializedFileReader::new(std::fs::File::open(path)?)?;
        let schema = reader.metadata().file_metadata().schema_descr();
        let names: Vec<&str> = schema.columns().iter().map(|column| column.name()).collect();
        writeln!(out, "{}", names.join("\t"))?;
        for row in reader.get_row_iter(None)? {
            let cells: Vec<String> = row?.get_column_iter().map(|(_, field)| cell(field)).collect();
            writeln!(out, "{}", cells.join("\t"))?;
        }
        writeln!(out)?;
    }
    Ok(())
}
