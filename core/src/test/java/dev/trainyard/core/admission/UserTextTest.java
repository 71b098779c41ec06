package dev.trainyard.core.admission;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class UserTextTest {

    @Test
    void isCutToWhatFitsALine() {
        assertThat(UserText.shown("x".repeat(100))).isEqualTo("x".repeat(100));
        assertThat(UserText.shown("x".repeat(101))).isEqualTo("x".repeat(97) + "...");
    }

    @Test
    void showsNothingThatAReaderCannotSeeOrATerminalObeys() {
        assertThat(UserText.shown("a\nb\r\u001b[2J\u0085\u2028\u202e\tc")).isEqualTo("a?b??[2J????c");
    }

    @Test
    void keepsWholeCharactersOnly() {
        assertThat(UserText.shown("Größe 😀")).isEqualTo("Größe 😀");
        assertThat(UserText.shown("\ud83d")).isEqualTo("?");
        assertThat(UserText.shown("x".repeat(96) + "😀".repeat(3))).isEqualTo("x".repeat(96) + "?...");
    }
}
