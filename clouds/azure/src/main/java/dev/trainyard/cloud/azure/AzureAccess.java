package dev.trainyard.cloud.azure;

import com.azure.core.http.HttpPipeline;
import java.net.URI;
import java.time.Duration;

/**
 * The access to Azure Resource Manager.
 *
 * @param endpoint the endpoint, such as {@code https://management.azure.com}
 * @param pipeline the pipeline that signs requests; it does not retry
 * @param timeout the timeout of a request, or of each page of a list
 */
record AzureAccess(String endpoint, HttpPipeline pipeline, Duration timeout) {

    /** Whether an address in an answer is Azure's own. Requests carry a token, which no other server may get. */
    boolean isOwn(String url) {
        return isOwn(endpoint, url);
    }

    static boolean isOwn(String endpoint, String url) {
        try {
            var named = URI.create(url);
            var own = URI.create(endpoint);
            return own.getScheme().equalsIgnoreCase(named.getScheme())
                    && own.getHost().equalsIgnoreCase(named.getHost())
                    && named.getUserInfo() == null
                    && port(own) == port(named);
        } catch (IllegalArgumentException | NullPointerException e) {
            return false;
        }
    }

    /** Returns the port; 443 if the address states none. Some links state the default port, and must match an endpoint that does not. */
    private static int port(URI address) {
        return address.getPort() == -1 ? 443 : address.getPort();
    }
}
