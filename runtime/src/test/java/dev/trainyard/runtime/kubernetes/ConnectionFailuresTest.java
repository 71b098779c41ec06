package dev.trainyard.runtime.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.io.IOException;
import java.net.ConnectException;
import java.net.http.HttpConnectTimeoutException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.UnresolvedAddressException;
import javax.net.ssl.SSLHandshakeException;
import org.junit.jupiter.api.Test;

class ConnectionFailuresTest {

    private static final Config CONFIG = new ConfigBuilder(Config.empty())
            .withMasterUrl("https://api.example.com/")
            .build();

    @Test
    void whatHappenedIsSaidWhereTheExceptionIsSilent() {
        assertThat(words(new ConnectException().initCause(new UnresolvedAddressException())))
                .isEqualTo("the cluster at https://api.example.com/ cannot be reached: the host name is unknown; name "
                        + "another cluster with --kubeconfig");
        assertThat(words(new ConnectException().initCause(new ClosedChannelException())))
                .contains("cannot be reached: no server answers at this address;");
        assertThat(words(new HttpConnectTimeoutException("HTTP connect timed out")))
                .contains("cannot be reached: the server does not answer in time;");
        assertThat(words(new SSLHandshakeException("PKIX path building failed")))
                .contains(
                        "the server's certificate is not trusted, or the server does not use TLS: PKIX path building failed;");
        assertThat(words(new IllegalStateException())).contains("cannot be reached: IllegalStateException;");
    }

    @Test
    void aConnectionThatIsEndedBeforeTheAnswerIsThatOfAStranger() {
        assertThat(words(new IOException("/127.0.0.1:4711: GOAWAY received")))
                .startsWith("the cluster at https://api.example.com/ rejected the login (the server closed the "
                        + "connection with GOAWAY): the credentials of this user are missing, invalid or "
                        + "expired; log in again,");
    }

    private static String words(Throwable cause) {
        return ConnectionFailures.words(CONFIG, new KubernetesClientException("An error has occurred.", cause));
    }
}
