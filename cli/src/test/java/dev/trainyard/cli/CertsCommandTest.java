package dev.trainyard.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests of {@code trainyard certs}. {@code certs/shown.txt} is the expected output for {@code certs/}. Rewrite with -Dtrainyard.update=true. */
class CertsCommandTest {

    private static final Path GOLDEN = Path.of(System.getProperty("trainyard.root"), "cli/src/test/resources/certs");

    @TempDir
    private Path directory;

    private record Ended(int exitCode, String out, String err) {}

    @Test
    void showsWhatCertificatesSay() throws IOException {
        var shown = certs("show", GOLDEN.toString(), "--at", "2026-12-01T00:00:00Z");

        var text = shown.out().replace(GOLDEN.toString(), "DIR");
        var file = GOLDEN.resolve("shown.txt");
        if (Boolean.getBoolean("trainyard.update")) {
            Files.writeString(file, text);
        }
        assertThat(text).isEqualTo(Files.readString(file));
        assertThat(shown.exitCode()).isZero();
    }

    @Test
    void whatIsIssuedCanBeVerifiedAndNoKeyIsShown() throws IOException {
        var scaler = directory.resolve("scaler").toString();
        var extender = directory.resolve("extender").toString();

        var made = certs("issue", "--dir", scaler, "--name", "trainyard-scaler", "--dns", "scaler.svc");
        assertThat(made.exitCode()).as(made.err()).isZero();
        assertThat(made.out())
                .contains("CN=trainyard-scaler", "scaler.svc", "89 days left")
                .doesNotContain("KEY");
        var second = certs(
                "issue",
                "--dir",
                extender,
                "--ca-dir",
                scaler,
                "--name",
                "trainyard-extender",
                "--both",
                "--ip",
                "127.0.0.1");
        assertThat(second.exitCode()).as(second.err()).isZero();
        assertThat(second.out()).contains("servers, clients");
        assertThat(directory.resolve("extender/ca.key")).doesNotExist();
        assertThat(Files.readString(directory.resolve("extender/ca.crt")))
                .isEqualTo(Files.readString(directory.resolve("scaler/ca.crt")));

        assertThat(certs("verify", scaler, "--dns", "scaler.svc").exitCode()).isZero();
        var wrong = certs("verify", extender, "--dns", "elsewhere", "--at", "2099-01-01T00:00:00Z");
        assertThat(wrong.exitCode()).isOne();
        assertThat(wrong.out()).contains("tls.crt expired at").contains("is not for elsewhere");
    }

    @Test
    void mistakesAreToldInOneLine() throws IOException {
        assertThat(certs("show", directory.resolve("none").toString()).err())
                .contains("cannot be read; name a file with certificates, or a directory")
                .doesNotContain("\tat ");
        assertThat(certs("show").err()).contains("expected DIR, FILE or --secret NAME");
        assertThat(certs("verify", directory.resolve("none").toString()).err()).contains("there is no directory");
        var text = Files.writeString(directory.resolve("text"), "hello");
        assertThat(certs("show", text.toString()).err()).contains("holds no certificate");
        assertThat(certs("issue", "--dir", directory.toString(), "--name", "x", "--dns", "10.0.0.1")
                        .err())
                .contains("is not a DNS name");
        assertThat(certs("issue", "--dir", text.toString(), "--name", "x").err())
                .isEqualToIgnoringNewLines(
                        "trainyard: the TLS directory %s is a file; name a directory".formatted(text));
        assertThat(certs("issue", "--dir", text.resolve("below").toString(), "--name", "x")
                        .err())
                .isEqualToIgnoringNewLines("trainyard: cannot create the TLS directory %s: Not a directory"
                        .formatted(text.resolve("below")));
        assertThat(certs("verify", text.toString()).err()).contains("is a file; name the directory that holds it");
        for (var days : new String[] {"0", "-5"}) {
            var ended = certs("issue", "--dir", directory.toString(), "--name", "x", "--days", days);
            assertThat(ended.exitCode()).isEqualTo(2);
            assertThat(ended.err()).contains("'--days': expected at least 1, but is %s".formatted(days));
        }
        assertThat(certs().err()).contains("expected one of issue, show, verify");
    }

    private static Ended certs(String... arguments) {
        var all = new String[arguments.length + 1];
        all[0] = "certs";
        System.arraycopy(arguments, 0, all, 1, arguments.length);
        var out = new StringWriter();
        var err = new StringWriter();
        int code = Main.commandLine()
                .setOut(new PrintWriter(out))
                .setErr(new PrintWriter(err))
                .execute(all);
        return new Ended(code, out.toString(), err.toString());
    }
}
