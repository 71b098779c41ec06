package dev.trainyard.workshop.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class ServerJvmTest {

    private static final Path LAUNCHER = Path.of(System.getProperty("trainyard.root"), "trainyard");

    @Test
    void isStartedAsTheLauncherStartsIt() throws IOException {
        assertThat(Files.readString(LAUNCHER))
                .contains("server_options='%s'".formatted(String.join(" ", ServerJvm.OPTIONS)))
                .contains("extender_options='%s'".formatted(String.join(" ", ServerJvm.EXTENDER_OPTIONS)))
                .contains("archive=$root/%s".formatted(ServerJvm.ARCHIVE));
    }
}
