package dev.trainyard.runtime.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Future;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests that long work delays no other work, and that its caller is answered in time. */
class WorkersTest {

    @TempDir
    private Path directory;

    private final CountDownLatch free = new CountDownLatch(1);
    private final BlockingQueue<String> begun = new LinkedBlockingQueue<>();
    private final BlockingQueue<Boolean> overdue = new LinkedBlockingQueue<>();
    private ServerFixture fixture;

    @BeforeEach
    void start() {
        fixture = new ServerFixture(
                directory, ServerFixture.OPTIONS, Routes.none().postOnWorker("/work", request -> {
                    begun.add(request.body().toString());
                    if (request.body().toString().startsWith("slow")) {
                        free.await();
                        overdue.add(request.isOverdue());
                    }
                    return Response.json(request.body());
                }));
    }

    @AfterEach
    void stop() {
        free.countDown();
        fixture.close();
    }

    @Test
    void oneThatIsSlowDelaysNoOtherAndIsAnswered() throws Exception {
        var slow = work("slow", "30s");
        assertThat(begun.poll(20, TimeUnit.SECONDS)).isEqualTo("slow");

        assertThat(ServerFixture.await(work("other", "30s")).body()).hasToString("other");
        assertThat(slow.isComplete()).isFalse();
        free.countDown();

        assertThat(ServerFixture.await(slow).status()).isEqualTo(200);
        assertThat(overdue.take()).isFalse();
    }

    @Test
    void oneThatTakesMoreThanHalfOfItsTimeoutIs500AndSaysSo() throws Exception {
        var answer = ServerFixture.await(work("slow", "2s")); // still blocked at its time limit

        assertThat(answer.status()).isEqualTo(500);
        assertThat(answer.body().toString()).matches("the webhook did not answer within (9\\d\\d|1000) ms\n");
        assertThat(ServerFixture.await(work("other", "30s")).body()).hasToString("other");
        free.countDown();
        assertThat(overdue.take()).isTrue();
    }

    @Test
    void oneThatFindsNoThreadInTimeIsNotBegun() throws Exception {
        var all = new ArrayList<Future<Response>>();
        for (int thread = 0; thread < Workers.THREADS; thread++) {
            all.add(work("slow " + thread, "30s"));
            assertThat(begun.poll(20, TimeUnit.SECONDS)).startsWith("slow");
        }

        assertThat(ServerFixture.await(work("late", "100ms")).status()).isEqualTo(500);
        free.countDown();

        for (var one : all) {
            assertThat(ServerFixture.await(one).status()).isEqualTo(200);
        }
        assertThat(begun).doesNotContain("late");
    }

    /** Sends a request with a new client, because one client opens only a few connections at a time. */
    private Future<Response> work(String body, String timeout) {
        return fixture.client(fixture.tls).post(fixture.url("/work?timeout=" + timeout), ServerFixture.text(body));
    }
}
