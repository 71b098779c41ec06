package dev.trainyard.cloud.aws;

import java.time.Instant;
import java.util.Optional;

/**
 * The data of an instance that EC2 returns and Auto Scaling does not.
 *
 * @param launched its launch time
 * @param dnsName its private DNS name; empty until it runs. Its node has the same name, unless the kubelet is configured with another name
 * @param spot whether it is a spot instance, which AWS may reclaim
 */
record Birth(Instant launched, Optional<String> dnsName, boolean spot) {}
