import { Link } from '@tanstack/react-router'
import { buttonClass } from '../components/button.tsx'
import { Empty, Page } from '../components/page.tsx'
import { text } from '../messages/index.ts'

export function NoSuchPage() {
  return (
    <Page title={text.errors.page}>
      <Empty title={text.errors.pageAdvice}>
        <Link to="/" className={buttonClass('primary')}>
          {text.nav.overview}
        </Link>
      </Empty>
    </Page>
  )
}
