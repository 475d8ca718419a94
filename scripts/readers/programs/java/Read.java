import com.jerolba.carpet.CarpetReader;
import java.io.BufferedWriter;
import java.io.File;
import java.io.OutputStreamWriter;
import java.util.Map;

/** Prints every cell of Parquet files as Carpet (with parquet-java) reads them, in the form of read.py: Read carpet FILE... */
public class Read {
  private static String cell(Object value) {
    if (value instanceof Double number) return String.format("0x%016x", Double.doubleToRawLongBits(number));
    return value instanceof String ? "\"" + value : String.valueOf(value);
  }

  public static void main(String[] args) throws Exception {
    try (var out = new BufferedWriter(new OutputStreamWriter(System.out))) {
      for (int i = 1; i < args.length; i++) {
        boolean isFirst = true;
        for (Map<?, ?> row : new CarpetReader<>(new File(args[i]), Map.class)) {
          if (isFirst) out.write(String.join("\t", row.keySet().stream().map(String::valueOf).toList()) + "\n");
          isFirst = false;
          out.write(String.join("\t", row.values().stream().map(Read::cell).toList()) + "\n");
        }
        out.write("\n");
      }
    }
  }
}
