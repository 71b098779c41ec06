package dev.trainyard.local.binaries;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class BinaryCacheTest {
    private static final KubernetesVersion VERSION = KubernetesVersion.CURRENT;

    @TempDir
    Path root;

    @Test
    void fillsOnceAndRemembers() {
        AtomicInteger fillings = new AtomicInteger();
        BinaryCache.Filling filling = directory -> {
            fillings.incrementAndGet();
            FakeBinaries.directory(directory, VERSION.full());
        };

        ControlPlaneBinaries first = cache().getOrFill(VERSION, filling);
        ControlPlaneBinaries second = cache().getOrFill(VERSION, filling);

        assertThat(fillings).hasValue(1);
        assertThat(second).isEqualTo(first);
        assertThat(first.path(Binary.ETCD)).isExecutable();
        assertThat(first.directory().getFileName().toString()).matches("1\\.36\\.3-linux-amd64-[0-9a-f]{12}");
    }

    @Test
    void showsNothingUntilAllIsThere() {
        Path entry = cache().location(VERSION);

        cache().getOrFill(VERSION, directory -> {
            FakeBinaries.directory(directory, VERSION.full());
            assertThat(entry).doesNotExist();
        });

        assertThat(entry).exists();
    }

    @Test
    void keepsWhatAFailedFillingGotForTheNextOne() {
        assertThatThrownBy(() -> cache().getOrFill(VERSION, directory -> {
                    FakeBinaries.write(directory, List.of(Binary.ETCD), VERSION.full());
                    throw new IOException("the disk is full");
                }))
                .hasMessageContaining(root.toString())
                .hasMessageContaining("the disk is full");
        assertThat(cache().location(VERSION)).doesNotExist();

        cache().getOrFill(VERSION, directory -> {
            assertThat(ControlPlaneBinaries.missingIn(directory)).hasSize(5).doesNotContain(Binary.ETCD);
            FakeBinaries.directory(directory, VERSION.full());
        });
    }

    @Test
    void fillsAgainWhenSomebodyRemovedAFile() throws Exception {
        ControlPlaneBinaries binaries =
                cache().getOrFill(VERSION, directory -> FakeBinaries.directory(directory, VERSION.full()));
        Files.delete(binaries.path(Binary.KWOK));

        cache().getOrFill(VERSION, directory -> FakeBinaries.directory(directory, VERSION.full()));

        assertThat(binaries.path(Binary.KWOK)).exists();
    }

    @Test
    void letsOneFillWhileTheOtherWaits() throws Exception {
        AtomicInteger fillings = new AtomicInteger();
        CountDownLatch waits = new CountDownLatch(1);
        BinaryCache impatient = new BinaryCache(root, new Platform("linux", "amd64"), step -> waits.countDown());
        BinaryCache.Filling filling = directory -> {
            fillings.incrementAndGet();
            try {
                assertThat(waits.await(30, TimeUnit.SECONDS)).isTrue();
            } catch (InterruptedException e) {
                throw new IOException(e);
            }
            FakeBinaries.write(directory, EnumSet.allOf(Binary.class), VERSION.full());
        };

        CompletableFuture<?> both = CompletableFuture.allOf(
                CompletableFuture.runAsync(() -> impatient.getOrFill(VERSION, filling)),
                CompletableFuture.runAsync(() -> impatient.getOrFill(VERSION, filling)));

        both.get(30, TimeUnit.SECONDS);
        assertThat(fillings).hasValue(1);
    }

    @Test
    void isWhereTheUserKeepsCaches() {
        assertThat(BinaryCache.directory(Map.of("XDG_CACHE_HOME", "/caches"), "control-plane"))
                .isEqualTo(Path.of("/caches/trainyard/control-plane"));
        assertThat(BinaryCache.directory(Map.of(), "control-plane"))
                .isEqualTo(Path.of(System.getProperty("user.home"), ".cache/trainyard/control-plane"));
    }

    private BinaryCache cache() {
        return new BinaryCache(root, new Platform("linux", "amd64"), ProgressListener.silent());
    }
}
