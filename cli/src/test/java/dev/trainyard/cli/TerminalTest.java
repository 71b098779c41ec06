package dev.trainyard.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.trainyard.cli.Terminal.Size;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TerminalTest {

    @Test
    void aPipeGetsNoCommandsWhateverAsksForColours() {
        assertThat(Terminal.canMoveItsCursor(false, Map.of("CLICOLOR_FORCE", "1", "TERM", "xterm")))
                .isFalse();
        assertThat(Terminal.canMoveItsCursor(true, Map.of("TERM", "dumb"))).isFalse();
        assertThat(Terminal.canMoveItsCursor(true, Map.of("TERM", "xterm", "NO_COLOR", "1")))
                .isTrue();
    }

    @Test
    void itsSizeIsWhatSttyTells() {
        assertThat(Size.of("50 132\n")).isEqualTo(new Size(50, 132));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", "0 0\n", "stty: 'standard input': Inappropriate ioctl for device\n", "999999999999 80\n"})
    void ifItDoesNotTellItIsTakenToBeUsual(String told) {
        assertThat(Size.of(told)).isEqualTo(Size.USUAL);
    }
}
