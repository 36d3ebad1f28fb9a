/** What an agent reports of certificates in files, without the schema library. */

/** Certificates of one host: files that have several have one for each, their chains not counted. */
export const MAX_HOST_CERTIFICATES = 200
/** Files of one host that cannot be read and are named. */
export const MAX_UNREADABLE_CERTIFICATES = 50
export const MAX_CERTIFICATE_PATH_LENGTH = 512
/** The name of one certificate in a file that has several. */
export const MAX_CERTIFICATE_ENTRY_LENGTH = 255
export const MAX_UNREADABLE_REASON_LENGTH = 200
