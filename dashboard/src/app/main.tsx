import '@mantine/core/styles.css';
import './global.css';
import { MantineProvider, localStorageColorSchemeManager } from '@mantine/core';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { queryClient } from '../api/queries.ts';
import { nonce } from './nonce.ts';
import { reloadForNewVersion } from './new-version.ts';
import { router } from './router.tsx';
import { cssVariables, theme } from './theme.ts';
import { ensureValidLanguage } from './valid-language.ts';

reloadForNewVersion();
ensureValidLanguage();

createRoot(document.querySelector('#app') as HTMLElement).render(
  <StrictMode>
    <MantineProvider
      theme={theme}
      cssVariablesResolver={cssVariables}
      defaultColorScheme="auto"
      colorSchemeManager={localStorageColorSchemeManager({ key: 'phial.colour-scheme' })}
      getStyleNonce={() => nonce}
    >
      <QueryClientProvider client={queryClient}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </MantineProvider>
  </StrictMode>,
);
