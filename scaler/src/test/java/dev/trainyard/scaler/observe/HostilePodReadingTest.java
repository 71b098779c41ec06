package dev.trainyard.scaler.observe;

import static org.assertj.core.api.Assertions.assertThat;

import dev.trainyard.core.Names;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** An attacker who may create pods with annotations of 256 KiB: the scaler's messages repeat only a readable part. */
class HostilePodReadingTest {

    private static final String HUGE = "9".repeat(250_000);

    @Test
    void namesNoGangByMoreThanAName() {
        var mark = GangMark.of(pod(HUGE, "2")).orElseThrow();

        assertThat(mark.gang()).isNull();
        assertThat(mark.malformed().orElseThrow())
                .contains("is longer than 253 characters")
                .hasSizeLessThan(300);
        assertThat(GangMark.of(pod("g".repeat(253), "2")).orElseThrow().malformed())
                .isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"gang", "", " "})
    void hasItsNonsenseRepeatedInPart(String gang) {
        assertThat(GangMark.of(pod(gang, HUGE)).orElseThrow().malformed().orElseThrow())
                .contains("99...")
                .hasSizeLessThan(300);
    }

    @Test
    void endsNoLineOfALogByTheNameOfAGang() {
        assertThat(GangMark.of(pod("a\n\u2028\u001b[2Jb", "2")).orElseThrow().gang())
                .isEqualTo("team/a???[2Jb");
    }

    private static ObjectMeta pod(String gang, String size) {
        return new ObjectMetaBuilder()
                .withNamespace("team")
                .addToAnnotations(Names.GANG, gang)
                .addToAnnotations(Names.GANG_SIZE, size)
                .build();
    }
}
