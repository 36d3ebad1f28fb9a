import type { AssertionJudge } from '../assertion-judge.ts'
import { body } from './body.ts'
import { certificateExpiry } from './certificate-expiry.ts'
import { header } from './header.ts'
import { jsonPath } from './json-path.ts'
import { responseTime } from './response-time.ts'
import { statusCode } from './status-code.ts'

/** The registry: a new type is its file, its line here, and its rule in shared. */
export const ASSERTION_JUDGES: readonly AssertionJudge[] = [body, certificateExpiry, header, jsonPath, responseTime, statusCode]
