package dev.trainyard.scaler.provider;

/**
 * An exception for a changing request that was refused or throttled after an earlier attempt got no answer. The cloud may have carried out
 * the earlier attempt, so the refusal does not prove that nothing has changed.
 */
public final class LostAnswer extends ProviderException {

    private static final long serialVersionUID = 1;

    /**
     * @param first the failure of the attempt without an answer
     * @param last the refusal or throttling of the retry
     */
    public LostAnswer(ProviderException first, ProviderException last) {
        super(
                last.kind(),
                "%s; an earlier attempt may have succeeded, but got no answer: %s"
                        .formatted(last.words(), first.words()),
                last.retryAfter().orElse(null));
        initCause(last);
    }
}
