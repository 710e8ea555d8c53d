import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { createRoot } from 'react-dom/client'
import { base } from './api/client'
import { useLink } from './api/link'
import { client } from './api/queries'
import { preload } from './app/pages'
import { router } from './app/router'
import './style/tokens.css'
import './style/base.css'
import './style/shell.css'
import './style/pages.css'
import './style/session.css'

// A page that was open while the server was replaced asks for parts that have changed. One
// that cannot reach the server keeps what it has.
window.addEventListener('vite:preloadError', () => {
  fetch(base).then(
    () => location.reload(),
    () => useLink.getState().lost(),
  )
})
preload()

createRoot(document.getElementById('root')!).render(
  <QueryClientProvider client={client}>
    <RouterProvider router={router} />
  </QueryClientProvider>,
)
