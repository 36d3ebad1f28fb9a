import type { CommonAssertionType } from '@vedette/shared'
import type { AssertionEvaluator } from '../evaluator.ts'
import { body } from './body.ts'
import { bodyJson } from './body-json.ts'
import { bodySize } from './body-size.ts'
import { certificateExpiry } from './certificate-expiry.ts'
import { finalUrl } from './final-url.ts'
import { header } from './header.ts'
import { jsonPath } from './json-path.ts'
import { responseTime } from './response-time.ts'
import { statusCode } from './status-code.ts'

/** The registry: a common type in shared's table without an evaluator is a type error here. Facts of kinds need none. */
export const ASSERTION_EVALUATORS: Readonly<Record<CommonAssertionType, AssertionEvaluator>> = {
  body,
  body_json: bodyJson,
  body_size: bodySize,
  certificate_expiry: certificateExpiry,
  final_url: finalUrl,
  header,
  json_path: jsonPath,
  response_time: responseTime,
  status_code: statusCode,
}
