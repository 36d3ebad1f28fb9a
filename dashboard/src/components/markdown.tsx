import { type MarkdownPart, parseMarkdown } from '@vedette/shared/markdown'

/** Links, lists and code of a text; everything else as it stands. Elements are made of its parts: no text becomes markup. */
export function Markdown({ text }: { text: string }) {
  return (
    <div className="grid gap-2 [overflow-wrap:anywhere]">
      {parseMarkdown(text).map((block, index) => {
        // A text is shown again as a whole: its parts have no other identity than their place.
        const key = `${block.type} ${index}`
        if (block.type === 'code')
          return (
            <pre key={key} className="overflow-x-auto rounded-lg bg-accent-ground p-2.5 font-mono text-[0.9rem]">
              {block.text}
            </pre>
          )
        if (block.type === 'paragraph')
          return (
            <p key={key} className="whitespace-pre-line">
              {block.lines.map((parts, line) => (
                // oxlint-disable-next-line react/no-array-index-key -- two lines may be equal
                <span key={line}>
                  {line > 0 && '\n'}
                  <Parts parts={parts} />
                </span>
              ))}
            </p>
          )
        const items = block.items.map((parts, item) => (
          // oxlint-disable-next-line react/no-array-index-key -- two items may be equal
          <li key={item}>
            <Parts parts={parts} />
          </li>
        ))
        return block.isOrdered ? (
          <ol key={key} className="list-decimal pl-6">
            {items}
          </ol>
        ) : (
          <ul key={key} className="list-disc pl-6">
            {items}
          </ul>
        )
      })}
    </div>
  )
}

const Parts = ({ parts }: { parts: readonly MarkdownPart[] }) =>
  parts.map((part, index) => {
    const key = `${part.type} ${index}`
    if (part.type === 'code')
      return (
        <code key={key} className="rounded bg-accent-ground px-1 font-mono text-[0.9em]">
          {part.text}
        </code>
      )
    if (part.type === 'link') return <OutsideLink key={key} url={part.url} name={part.text} />
    return <span key={key}>{part.text}</span>
  })

/** A page that is not ours: it does not learn where one comes from. */
export const OutsideLink = ({ url, name }: { url: string; name: string }) => (
  <a href={url} target="_blank" rel="noreferrer nofollow" className="text-accent hover:underline">
    {name}
  </a>
)
