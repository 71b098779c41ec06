package dev.trainyard.bench.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.trainyard.bench.process.BenchException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

class ResponseFramingTest {

    private static final String TWO_BYTES = "HTTP/1.1 200 OK\r\nContent-Type: a/b\r\ncontent-length: 2\r\n\r\n{}";

    private final ResponseFraming framing = new ResponseFraming();

    @Property(seed = "42")
    void findsTheEndOfAResponseHoweverItIsCut(
            @ForAll @Size(max = 6) List<@IntRange(min = 1, max = 40) Integer> pieces,
            @ForAll @IntRange(max = 100) int length) {
        var body = "x".repeat(length);
        var bytes = bytes("HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s".formatted(length, body));
        int from = 0;
        for (int piece : pieces) {
            int to = Math.min(bytes.length - 1, from + piece);
            assertThat(framing.ends(Arrays.copyOfRange(bytes, from, to))).isFalse();
            from = to;
        }

        assertThat(framing.ends(Arrays.copyOfRange(bytes, from, bytes.length))).isTrue();
        assertThat(framing.lastBody()).isEqualTo(bytes(body));
    }

    @Test
    void readsOneResponseAfterTheOther() {
        assertThat(framing.ends(bytes(TWO_BYTES))).isTrue();
        assertThat(framing.ends(bytes(TWO_BYTES.substring(0, 5)))).isFalse();
        assertThat(framing.ends(bytes(TWO_BYTES.substring(5)))).isTrue();
    }

    @Test
    void anErrorIsNoAnswer() {
        assertThatThrownBy(() -> framing.ends(bytes("HTTP/1.1 500 Internal Server Error\r\nContent-Length: 0\r\n\r\n")))
                .isInstanceOf(BenchException.class)
                .hasMessageContaining("expected status 200")
                .hasMessageContaining("500 Internal");
    }

    @Test
    void moreThanWasAnnouncedIsAMistake() {
        assertThatThrownBy(() -> framing.ends(bytes(TWO_BYTES + "HTTP")))
                .isInstanceOf(BenchException.class)
                .hasMessageContaining("4 bytes more");
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.ISO_8859_1);
    }
}
