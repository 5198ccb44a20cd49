// toolglot from Java 17 through JNA: reads an answer from standard input and prints the message as JSON.
import com.sun.jna.*;
import java.nio.charset.StandardCharsets;

public class Toolglot {
    /** The functions of toolglot.h that are called here. */
    interface Library extends com.sun.jna.Library {
        Library INSTANCE = Native.load("toolglot", Library.class);

        int tg_abi_version();
        Pointer tg_buffer_new();
        Pointer tg_buffer_data(Pointer buffer);
        NativeLong tg_buffer_len(Pointer buffer);
        void tg_buffer_free(Pointer buffer);
        int tg_parse(Pointer dialects, Pointer tools, byte[] options, NativeLong optionsLen, byte[] text, NativeLong len, Pointer out);
    }

    static String parse(byte[] text, String options) {
        var library = Library.INSTANCE;
        if (library.tg_abi_version() != 1) throw new IllegalStateException("another ABI");
        var settings = options.getBytes(StandardCharsets.UTF_8);
        var out = library.tg_buffer_new();
        try {
            int status = library.tg_parse(null, null, settings, new NativeLong(settings.length), text, new NativeLong(text.length), out);
            int size = library.tg_buffer_len(out).intValue();
            var said = size == 0 ? "" : new String(library.tg_buffer_data(out).getByteArray(0, size), StandardCharsets.UTF_8);
            if (status != 0) throw new IllegalArgumentException(said);
            return said;
        } finally {
            library.tg_buffer_free(out);
        }
    }

    public static void main(String[] arguments) throws Exception {
        System.out.println(parse(System.in.readAllBytes(), arguments.length > 0 ? arguments[0] : "{}"));
    }
}
