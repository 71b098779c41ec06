package dev.trainyard.cloud.aws;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.Base64;
import org.junit.jupiter.api.Test;

class KeysTest {

    private static final String ID = "AKIAIOSFODNN7EXAMPLE";
    private static final String SECRET = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY";

    @Test
    void rightKeysHaveNoFault() {
        assertThat(Keys.fault(ID, SECRET)).isEmpty();
        assertThat(Keys.fault("ASIAIOSFODNN7EXAMPLE", SECRET)).isEmpty();
    }

    @Test
    void keysThatWereEncodedOnceTooOftenAreRecognised() {
        assertThat(Keys.fault(base64(ID), SECRET).orElseThrow()).contains("access key id is still base64");
        assertThat(Keys.fault(ID, base64(SECRET)).orElseThrow()).contains("secret access key is still base64");
        assertThat(Keys.fault(ID, base64(SECRET + "\n")).orElseThrow()).contains("line break that echo adds");
    }

    @Test
    void lineBreaksAreRecognised() {
        assertThat(Keys.fault(ID + "\n", SECRET).orElseThrow()).contains("access key id contains a line break");
        assertThat(Keys.fault(ID, SECRET + "\n").orElseThrow()).contains("secret access key contains a line break");
    }

    @Test
    void aTokenWithALineBreakIsRecognisedAndNotNamed() {
        assertThat(Keys.tokenFault("FwoGZXIvYXdzEXAMPLE")).isEmpty();
        assertThat(Keys.tokenFault("FwoGZXIv\nYXdzEXAMPLE").orElseThrow())
                .contains("session token contains a line break")
                .doesNotContain("YXdz");
    }

    @Test
    void whatIsNoKeyAtAllIsSaidWithoutNamingIt() {
        assertThat(Keys.fault("hunter2", SECRET).orElseThrow()).contains("AKIA").doesNotContain("hunter2");
        assertThat(Keys.fault(ID, "hunter2")).isEmpty();
    }

    private static String base64(String text) {
        return Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.US_ASCII));
    }
}
