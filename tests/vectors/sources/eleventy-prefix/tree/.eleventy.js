const { HtmlBasePlugin } = require("@11ty/eleventy");

module.exports = function (config) {
  config.addPlugin(HtmlBasePlugin);
  config.addPassthroughCopy({ "static/": "/" });
  config.addPassthroughCopy("css");
  config.ignores.add("notes.md");
  return { pathPrefix: "/attic/" };
};
