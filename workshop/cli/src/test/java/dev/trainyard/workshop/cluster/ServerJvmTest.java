package dev.trainyard.workshop.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ServerJvmTest {

    private static final Path LAUNCHER = Path.of(System.getProperty("trainyard.root"), "trainyard");

    @Test
    void isStartedAsTheLauncherStartsIt() throws IOException {
        assertThat(Files.readString(LAUNCHER))
                .contains("server_options='%s'".formatted(String.join(" ", ServerJvm.OPTIONS)))
                .contains("extender_options='%s'".formatted(String.join(" ", ServerJvm.EXTENDER_OPTIONS)))
                .contains("archive=$root/%s".formatted(ServerJvm.ARCHIVE))
                .contains("aot_cache=$root/%s".formatted(ServerJvm.AOT_CACHE));
    }

    @Test
    void usesTheCacheOfItsJavaReleaseOnly(@TempDir Path root) throws IOException {
        Files.createDirectories(root.resolve(ServerJvm.AOT_CACHE).getParent());
        var cache = Files.createFile(root.resolve(ServerJvm.AOT_CACHE));

        assertThat(ServerJvm.cache(25, root)).contains("-XX:AOTCache=" + cache);
        assertThat(ServerJvm.cache(17, root)).isEmpty();

        var archive = Files.createFile(root.resolve(ServerJvm.ARCHIVE));

        assertThat(ServerJvm.cache(17, root)).contains("-XX:SharedArchiveFile=" + archive);
    }
}
