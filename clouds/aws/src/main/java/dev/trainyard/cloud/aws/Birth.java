package dev.trainyard.cloud.aws;

import java.time.Instant;
import java.util.Optional;

/**
 * The data of an instance that EC2 returns and Auto Scaling does not.
 *
 * @param launched its launch time
 * @param dnsName its private name, which is also its node's name unless its kubelet is configured otherwise
 * @param spot whether it is a spot instance, which AWS may reclaim
 */
record Birth(Instant launched, Optional<String> dnsName, boolean spot) {}
