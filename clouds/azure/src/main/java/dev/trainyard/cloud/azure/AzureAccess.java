package dev.trainyard.cloud.azure;

import com.azure.core.http.HttpPipeline;
import java.net.URI;
import java.time.Duration;

/**
 * How Azure Resource Manager is reached.
 *
 * @param endpoint such as {@code https://management.azure.com}
 * @param pipeline signs requests; repeats none
 * @param timeout of a request; a list has it for each page
 */
record AzureAccess(String endpoint, HttpPipeline pipeline, Duration timeout) {

    /** Whether an address that an answer named is Azure's own: requests carry a token. */
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

    /** Some links name the port that goes without saying. */
    private static int port(URI address) {
        return address.getPort() == -1 ? 443 : address.getPort();
    }
}
