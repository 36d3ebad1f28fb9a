/**
 * Bounds of what probes report. Without a schema library, so that a probe's thread can load them alone.
 */

/** Messages are cut to this, so that a target cannot fill the database by its answers. */
export const MAX_CHECK_MESSAGE_LENGTH = 300
/** Of what a failed check was answered: as much of the status line, in characters, and of the body, in bytes. */
export const MAX_STATUS_LINE_LENGTH = 200
export const MAX_ANSWER_BYTES = 1_024
export const MAX_SUBJECT_NAMES = 50
export const MAX_CERTIFICATE_NAME_LENGTH = 255
/** What the URLs of checks over HTTP begin with. */
export const HTTP_PROTOCOLS = ['http:', 'https:'] as const
