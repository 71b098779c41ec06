package dev.trainyard.cloud.aws;

import java.time.Instant;
import java.util.Optional;

/**
 * What EC2 says of an instance and Auto Scaling does not.
 *
 * @param launched when
 * @param dnsName its private name, which its node has too unless its kubelet is told otherwise
 * @param spot whether AWS may take it back
 */
record Birth(Instant launched, Optional<String> dnsName, boolean spot) {}
