import aws4 from 'aws4'
import type { ChannelKind } from '../messages/message.ts'
import { toPlainText, truncate, truncateBytes } from '../messages/texts.ts'
import { requireAccepted } from './post.ts'

const MAX_SUBJECT = 100
/** 256 KiB are possible; a subscription by SMS or e-mail shows a few kilobytes. */
const MAX_MESSAGE_BYTES = 8_192

/**
 * Publish to a topic, https://docs.aws.amazon.com/sns/latest/api/API_Publish.html, signed with
 * https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv.html. The ARN of the topic names partition and region.
 */
export const sns: ChannelKind = {
  async deliver(
    { topic_arn: arn = '', access_key_id: accessKeyId = '', secret_access_key: secretAccessKey = '' },
    message,
    ways,
  ) {
    const { content, link } = message
    const [, partition = '', , region = ''] = arn.split(':')
    const host = `sns.${region}.amazonaws.com${partition === 'aws-cn' ? '.cn' : ''}`
    const text = `${toPlainText(content)}${link === undefined ? '' : `\n${link}`}`
    const body = new URLSearchParams({
      Action: 'Publish',
      Version: '2010-03-31',
      TopicArn: arn,
      Subject: subjectOf(content.title),
      Message: truncateBytes(text, MAX_MESSAGE_BYTES),
    }).toString()
    const date = new Date(ways.nowMs()).toISOString().replaceAll(/[-:]|\.\d+/g, '')
    const headers = { 'content-type': 'application/x-www-form-urlencoded; charset=utf-8', 'x-amz-date': date }
    const signed = aws4.sign(
      { host, service: 'sns', region, method: 'POST', path: '/', headers: { ...headers }, body },
      { accessKeyId, secretAccessKey },
    )
    const secretHeaders = { authorization: String(signed.headers?.['Authorization']) }
    return requireAccepted(await ways.send({ url: `https://${host}/`, headers, secretHeaders, body }))
  },
}

/** ASCII alone, and no control characters: SNS refuses other subjects. */
const subjectOf = (title: string): string => truncate(title.replaceAll(/[^ -~]/g, '?'), MAX_SUBJECT).replace('…', '.')
