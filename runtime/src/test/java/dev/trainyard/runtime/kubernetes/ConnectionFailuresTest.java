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
                .isEqualTo(
                        "the cluster at https://api.example.com/ cannot be reached: there is no host of that name; name another one with --kubeconfig");
        assertThat(words(new ConnectException().initCause(new ClosedChannelException())))
                .contains("cannot be reached: nothing answers there;");
        assertThat(words(new HttpConnectTimeoutException("HTTP connect timed out")))
                .contains("cannot be reached: it does not answer in time;");
        assertThat(words(new SSLHandshakeException("PKIX path building failed")))
                .contains("its certificate is not believed, or it speaks no TLS: PKIX path building failed;");
        assertThat(words(new IllegalStateException())).contains("cannot be reached: IllegalStateException;");
    }

    @Test
    void aConnectionThatIsEndedBeforeTheAnswerIsThatOfAStranger() {
        assertThat(words(new IOException("/127.0.0.1:4711: GOAWAY received")))
                .startsWith(
                        "the cluster at https://api.example.com/ does not know who asks (it ended the connection, GOAWAY): the credentials of this user are missing, wrong or no longer valid; log in again,");
    }

    private static String words(Throwable cause) {
        return ConnectionFailures.words(CONFIG, new KubernetesClientException("An error has occurred.", cause));
    }
}
