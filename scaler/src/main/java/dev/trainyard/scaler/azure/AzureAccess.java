package dev.trainyard.scaler.azure;

import com.azure.core.http.HttpPipeline;
import java.net.URI;
import java.time.Duration;

/**
 * How Azure Resource Manager is reached.
 *
 * @param endpoint such as {@code https://management.azure.com}
 * @param pipeline signs requests; repeats none
 * @param timeout of a request, with all its pages
 */
record AzureAccess(String endpoint, HttpPipeline pipeline, Duration timeout) {

    /** Whether an address that an answer named is Azure's own: requests carry a token. */
    boolean isOwn(String url) {
        try {
            var named = URI.create(url);
            var own = URI.create(endpoint);
            return own.getScheme().equalsIgnoreCase(named.getScheme())
                    && own.getAuthority().equalsIgnoreCase(named.getAuthority());
        } catch (IllegalArgumentException | NullPointerException e) {
            return false;
        }
    }
}
