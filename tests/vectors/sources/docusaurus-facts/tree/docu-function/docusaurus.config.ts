export default async function createConfigAsync() {
  return {baseUrl: '/b/', presets: [['classic', {docs: {routeBasePath: '/'}}]]};
}
